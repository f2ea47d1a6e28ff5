// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Invariant} from "../support/Invariant.sol";
import {vm} from "../support/Vm.sol";
import {RegistryHandler} from "./RegistryHandler.sol";

contract RegistriesInvariants is Invariant {
    RegistryHandler private handler;

    function setUp() public {
        handler = new RegistryHandler();
    }

    /// In one campaign, because each campaign makes the same calls.
    function invariant_whatMustNotHappenDoesNot() public view {
        vm.assertEq(handler.replayed(), 0, "a signed call was sent twice");
        vm.assertEq(handler.ownRatings(), 0, "somebody rated his own agent");
        vm.assertEq(handler.foreignAnswers(), 0, "a validation of somebody else's");
        vm.assertEq(handler.foreignChanges(), 0, "an agent of somebody else's");
    }

    function afterInvariant() public view {
        handler.requireIdentities();
        handler.requireFeedback();
        handler.requireValidations();
    }

    function handlerAddress() internal view override returns (address) {
        return address(handler);
    }

    function handlerSelectors() internal view override returns (bytes4[] memory chosen) {
        chosen = new bytes4[](12);
        chosen[0] = handler.registerDirectly.selector;
        chosen[1] = handler.registerSigned.selector;
        chosen[2] = handler.transfer.selector;
        chosen[3] = handler.giveDirectly.selector;
        chosen[4] = handler.giveSigned.selector;
        chosen[5] = handler.revoke.selector;
        chosen[6] = handler.ask.selector;
        chosen[7] = handler.answer.selector;
        chosen[8] = handler.attemptReplay.selector;
        chosen[9] = handler.attemptOwnRating.selector;
        chosen[10] = handler.attemptForeignAnswer.selector;
        chosen[11] = handler.attemptForeignChange.selector;
    }
}
