// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Invariant} from "../support/Invariant.sol";
import {vm} from "../support/Vm.sol";
import {StablecoinHandler} from "./StablecoinHandler.sol";

contract StablecoinInvariants is Invariant {
    StablecoinHandler private handler;

    function setUp() public {
        handler = new StablecoinHandler();
    }

    function invariant_supplyIsTheSumOfBalances() public view {
        uint256 sum = 0;
        for (uint256 i = 0; i < handler.accountCount(); i++) {
            sum += handler.balanceOf(handler.accounts(i));
        }
        vm.assertEq(handler.totalSupply(), sum, "sum of balances");
        vm.assertEq(handler.totalSupply(), handler.minted() - handler.burned(), "minted less burned");
    }

    function invariant_anAuthorizationIsUsedAtMostOnce() public view {
        vm.assertEq(handler.authorizationsUsedTwice(), 0, "used twice");
        for (uint256 i = 0; i < handler.spentCount(); i++) {
            vm.assertTrue(handler.isSpent(i), "a used authorization is marked");
        }
    }

    function invariant_blockedAccountsNeverMove() public view {
        vm.assertEq(handler.movementsOfBlocked(), 0, "movements");
        for (uint256 i = 0; i < handler.accountCount(); i++) {
            address account = handler.accounts(i);
            if (!handler.isBlocked(account)) continue;
            vm.assertEq(handler.balanceOf(account), handler.balanceWhenBlocked(account), "frozen balance");
        }
    }

    function handlerAddress() internal view override returns (address) {
        return address(handler);
    }

    function handlerSelectors() internal view override returns (bytes4[] memory chosen) {
        chosen = new bytes4[](11);
        chosen[0] = handler.mint.selector;
        chosen[1] = handler.burn.selector;
        chosen[2] = handler.transfer.selector;
        chosen[3] = handler.transferFrom.selector;
        chosen[4] = handler.permitAndTransferFrom.selector;
        chosen[5] = handler.transferWithAuthorization.selector;
        chosen[6] = handler.receiveWithAuthorization.selector;
        chosen[7] = handler.cancelAuthorization.selector;
        chosen[8] = handler.toggleBlock.selector;
        chosen[9] = handler.attemptReplay.selector;
        chosen[10] = handler.attemptBlockedMovement.selector;
    }
}
