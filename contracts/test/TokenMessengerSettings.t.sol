// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {MessageTransmitterV2} from "../src/bridge/MessageTransmitterV2.sol";
import {TokenMessengerV2} from "../src/bridge/TokenMessengerV2.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";
import {vm} from "./support/Vm.sol";

contract TokenMessengerSettingsTest is BridgeFixture {
    function test_theOwnerSetsWhomToTrust() public {
        vm.expectRevert();
        arc.messenger.addRemoteTokenMessenger(7, "messenger");
        asOwner();
        vm.expectRevert("bytes32(0) not allowed");
        arc.messenger.addRemoteTokenMessenger(7, 0);
        asOwner();
        vm.expectRevert("TokenMessenger already set");
        arc.messenger.addRemoteTokenMessenger(BASE, "messenger");
        asOwner();
        vm.expectRevert("No TokenMessenger set");
        arc.messenger.removeRemoteTokenMessenger(7);
        vm.expectRevert();
        arc.messenger.removeRemoteTokenMessenger(BASE);
        vm.expectRevert("MessageTransmitter not set");
        new TokenMessengerV2(MessageTransmitterV2(address(0)), 1, ADMINISTRATOR, FEES);
    }

    function test_theOwnerSetsTheMinter() public {
        asOwner();
        vm.expectRevert("Local minter is already set.");
        arc.messenger.addLocalMinter(STRANGER);
        vm.expectRevert();
        arc.messenger.removeLocalMinter();
        asOwner();
        arc.messenger.removeLocalMinter();
        fundOn(arc, ALICE, 1);
        vm.prank(ALICE);
        vm.expectRevert("Local minter is not set");
        arc.messenger.depositForBurn(1, BASE, padded(CAROL), address(arc.token), 0, 0, STANDARD);
        asOwner();
        vm.expectRevert("No local minter is set.");
        arc.messenger.removeLocalMinter();
        asOwner();
        vm.expectRevert("Zero address not allowed");
        arc.messenger.addLocalMinter(address(0));
        vm.expectRevert();
        arc.messenger.addLocalMinter(STRANGER);
    }

    function test_theOwnerSetsTheRoles() public {
        vm.expectRevert();
        arc.messenger.setFeeRecipient(STRANGER);
        asOwner();
        vm.expectRevert("Zero address not allowed");
        arc.messenger.setFeeRecipient(address(0));
        vm.expectRevert();
        arc.messenger.setMinFeeController(STRANGER);
        asOwner();
        vm.expectRevert("Zero address not allowed");
        arc.messenger.setMinFeeController(address(0));
        vm.expectRevert();
        arc.messenger.updateDenylister(STRANGER);
        asOwner();
        vm.expectRevert("Denylistable: new denylister is the zero address");
        arc.messenger.updateDenylister(address(0));
        asOwner();
        arc.messenger.setFeeRecipient(BOB);
        vm.assertEq(arc.messenger.feeRecipient(), BOB, "fees");
    }

    function test_theControllerLinksTokens() public {
        bytes32 token = padded(address(base.token));
        vm.expectRevert("Caller is not tokenController");
        arc.minter.linkTokenPair(STRANGER, 7, token);
        vm.expectRevert("Caller is not tokenController");
        arc.minter.unlinkTokenPair(address(arc.token), BASE, token);
        vm.expectRevert("Caller is not tokenController");
        arc.minter.setMaxBurnAmountPerMessage(address(arc.token), 1);
        asOwner();
        vm.expectRevert("Unable to link token pair");
        arc.minter.linkTokenPair(STRANGER, BASE, token);
        asOwner();
        arc.minter.unlinkTokenPair(address(arc.token), BASE, token);
        vm.assertEq(arc.minter.getLocalToken(BASE, token), address(0), "unlinked");
        asOwner();
        vm.expectRevert("Unable to unlink token pair");
        arc.minter.unlinkTokenPair(address(arc.token), BASE, token);
    }

    function test_theOwnerSetsTheMessengerOfTheMinter() public {
        vm.expectRevert();
        arc.minter.removeLocalTokenMessenger();
        vm.expectRevert();
        arc.minter.setTokenController(STRANGER);
        asOwner();
        vm.expectRevert("Invalid token controller address");
        arc.minter.setTokenController(address(0));
        asOwner();
        vm.expectRevert("Local TokenMessenger already set");
        arc.minter.addLocalTokenMessenger(STRANGER);
        asOwner();
        arc.minter.removeLocalTokenMessenger();
        asOwner();
        vm.expectRevert("No local TokenMessenger is set");
        arc.minter.removeLocalTokenMessenger();
        asOwner();
        vm.expectRevert("Invalid TokenMessenger address");
        arc.minter.addLocalTokenMessenger(address(0));
        vm.expectRevert();
        arc.minter.addLocalTokenMessenger(STRANGER);
    }

    function asOwner() private {
        vm.prank(ADMINISTRATOR);
    }
}
