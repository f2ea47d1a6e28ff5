// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Stablecoin} from "../src/Stablecoin.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";
import {vm} from "./support/Vm.sol";

contract TokenMessengerTest is BridgeFixture {
    event DepositForBurn(
        address indexed burnToken,
        uint256 amount,
        address indexed depositor,
        bytes32 mintRecipient,
        uint32 destinationDomain,
        bytes32 destinationTokenMessenger,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 indexed minFinalityThreshold,
        bytes hookData
    );
    event MintAndWithdraw(
        address indexed mintRecipient, uint256 amount, address indexed mintToken, uint256 feeCollected
    );

    function setUp() public override {
        super.setUp();
        fundOn(base, ALICE, 1_000e6);
    }

    /// 148 bytes of header and 228 of body, with nonce, executed finality, fee and expiry left to the attesters.
    function test_theMessageHasTheRealLayout() public {
        bytes memory sent = burnOn(base, arc, ALICE, 100e6, 1e6);
        bytes memory header = abi.encodePacked(
            hex"00000001",
            hex"00000006",
            hex"0000001a",
            bytes32(0),
            bytes12(0),
            address(base.messenger),
            bytes12(0),
            address(arc.messenger),
            bytes32(0),
            hex"000003e8",
            hex"00000000"
        );
        bytes memory body = abi.encodePacked(
            hex"00000001",
            bytes12(0),
            address(base.token),
            bytes12(0),
            CAROL,
            uint256(100e6),
            bytes12(0),
            ALICE,
            uint256(1e6),
            uint256(0),
            uint256(0)
        );
        vm.assertEq(sent.length, 376, "length");
        vm.assertEq(sent, bytes.concat(header, body), "message");
    }

    function test_aBurnIsMintedOnTheOtherSide() public {
        vm.expectEmit(address(base.messenger));
        emit DepositForBurn(
            address(base.token), 100e6, ALICE, padded(CAROL), ARC, padded(address(arc.messenger)), 0, 0, STANDARD, ""
        );
        bytes memory sent = burnOn(base, arc, ALICE, 100e6, 0);
        vm.assertEq(base.token.totalSupply(), 900e6, "burned");
        vm.assertEq(arc.token.totalSupply(), 0, "in flight");
        vm.expectEmit(address(arc.messenger));
        emit MintAndWithdraw(CAROL, 100e6, address(arc.token), 0);
        deliver(arc, complete(sent, finalized("nonce")));
        vm.assertEq(arc.token.balanceOf(CAROL), 100e6, "minted");
    }

    function test_aFastTransferPaysItsFee() public {
        bytes memory sent = burnOn(base, arc, ALICE, 100e6, 1e6);
        vm.expectEmit(address(arc.messenger));
        emit MintAndWithdraw(CAROL, 99.5e6, address(arc.token), 0.5e6);
        deliver(arc, complete(sent, fast("nonce", 0.5e6, block.number + 1)));
        vm.assertEq(arc.token.balanceOf(CAROL), 99.5e6, "recipient");
        vm.assertEq(arc.token.balanceOf(FEES), 0.5e6, "fees");
    }

    function testFuzz_theFeeIsAtMostWhatTheSenderAllowed(uint256 amount, uint256 maxFee, uint256 fee) public {
        amount = 2 + amount % 999e6;
        maxFee = maxFee % amount;
        fee = fee % (amount + 2);
        bytes memory message = complete(burnOn(base, arc, ALICE, amount, maxFee), fast("nonce", fee, 0));
        bytes memory attestation = attest(message);
        if (fee >= amount) vm.expectRevert("Fee equals or exceeds amount");
        else if (fee > maxFee) vm.expectRevert("Fee exceeds max fee");
        arc.transmitter.receiveMessage(message, attestation);
        bool isDelivered = fee <= maxFee;
        vm.assertEq(arc.token.balanceOf(CAROL), isDelivered ? amount - fee : 0, "recipient");
        vm.assertEq(arc.token.balanceOf(FEES), isDelivered ? fee : 0, "fees");
    }

    /// An expired message is attested anew under the same nonce; the money was burned once and is minted once.
    function test_anExpiredMessageIsAttestedAnew() public {
        bytes memory sent = burnOn(base, arc, ALICE, 100e6, 1e6);
        bytes memory expired = complete(sent, fast("nonce", 1e6, block.number + 10));
        vm.roll(block.number + 10);
        refuses(expired, "Message expired and must be re-signed");
        deliver(arc, complete(sent, finalized("nonce")));
        vm.roll(1);
        refuses(expired, "Nonce already used");
        vm.assertEq(arc.token.totalSupply(), 100e6, "minted");
    }

    function test_theLastBlockBeforeExpiryStillCounts() public {
        bytes memory sent = burnOn(base, arc, ALICE, 100e6, 1e6);
        uint256 expiration = block.number + 10;
        vm.roll(expiration - 1);
        deliver(arc, complete(sent, fast("nonce", 1e6, expiration)));
    }

    function test_aFinalityBelow500IsRefused() public {
        bytes memory sent = burnOn(base, arc, ALICE, 100e6, 1e6);
        refuses(complete(sent, Finding("nonce", 499, 0, 0)), "Unsupported finality threshold");
        deliver(arc, complete(sent, Finding("nonce", 500, 0, 0)));
    }

    function test_anotherBodyVersionIsRefused() public {
        bytes memory message = complete(burnOn(base, arc, ALICE, 100e6, 0), finalized("nonce"));
        put(message, 148, hex"00000002");
        refuses(message, "Invalid message body version");
    }

    function test_aShortBodyIsRefused() public {
        bytes memory message = complete(burnOn(base, arc, ALICE, 100e6, 0), finalized("nonce"));
        bytes memory cut = new bytes(375);
        for (uint256 index = 0; index < cut.length; index++) {
            cut[index] = message[index];
        }
        refuses(cut, "Invalid burn message: too short");
    }

    function test_hookDataTravelsAlong() public {
        vm.recordLogs();
        vm.prank(ALICE);
        base.messenger
            .depositForBurnWithHook(100e6, ARC, padded(CAROL), address(base.token), 0, 0, STANDARD, hex"c0ffee");
        bytes memory sent = lastMessage();
        vm.assertEq(sent.length, 379, "length");
        vm.assertEq(uint256(uint8(sent[378])), 0xee, "last byte");
        deliver(arc, complete(sent, finalized("nonce")));
        vm.assertEq(arc.token.balanceOf(CAROL), 100e6, "minted");
        vm.prank(ALICE);
        vm.expectRevert("Hook data is empty");
        base.messenger.depositForBurnWithHook(1e6, ARC, padded(CAROL), address(base.token), 0, 0, STANDARD, "");
    }

    function test_badBurnsAreRefused() public {
        refusesBurn(0, ARC, padded(CAROL), address(base.token), 0, "Amount must be nonzero");
        refusesBurn(1e6, ARC, 0, address(base.token), 0, "Mint recipient must be nonzero");
        refusesBurn(1e6, ARC, padded(CAROL), address(base.token), 1e6, "Max fee must be less than amount");
        refusesBurn(1e6, 7, padded(CAROL), address(base.token), 0, "No TokenMessenger for domain");
        refusesBurn(2_000e6, ARC, padded(CAROL), address(base.token), 0, "ERC20: transfer amount exceeds balance");
        Stablecoin other = new Stablecoin("EURC", "EURC", "EUR", ADMINISTRATOR);
        vm.prank(ADMINISTRATOR);
        other.configureMinter(MINTER, 1e6);
        vm.prank(MINTER);
        other.mint(ALICE, 1e6);
        vm.prank(ALICE);
        other.approve(address(base.messenger), 1e6);
        refusesBurn(1e6, ARC, padded(CAROL), address(other), 0, "Burn token not supported");
        vm.assertEq(base.token.balanceOf(ALICE), 1_000e6, "balance");
    }

    function test_oneMessageBurnsNoMoreThanItsLimit() public {
        vm.prank(ADMINISTRATOR);
        base.minter.setMaxBurnAmountPerMessage(address(base.token), 10e6);
        refusesBurn(10e6 + 1, ARC, padded(CAROL), address(base.token), 0, "Burn amount exceeds per tx limit");
        burnOn(base, arc, ALICE, 10e6, 0);
    }

    /// Thousandths of a basis point, at least one unit.
    function test_theLeastFee() public {
        vm.assertEq(base.messenger.getMinFeeAmount(0), 0, "without a least fee");
        vm.expectRevert("Caller is not the min fee controller");
        base.messenger.setMinFee(1);
        vm.prank(ADMINISTRATOR);
        vm.expectRevert("Min fee too high");
        base.messenger.setMinFee(10_000_000);
        vm.prank(ADMINISTRATOR);
        base.messenger.setMinFee(1_300);
        vm.assertEq(base.messenger.getMinFeeAmount(100e6), 13_000, "1.3 basis points");
        vm.assertEq(base.messenger.getMinFeeAmount(2), 1, "at least one");
        vm.expectRevert("Amount too low");
        base.messenger.getMinFeeAmount(1);
        refusesBurn(100e6, ARC, padded(CAROL), address(base.token), 12_999, "Insufficient max fee");
        burnOn(base, arc, ALICE, 100e6, 13_000);
    }

    function test_nobodyButTheTransmitterIsHeard() public {
        vm.prank(STRANGER);
        vm.expectRevert("Invalid message transmitter");
        arc.messenger.handleReceiveFinalizedMessage(BASE, padded(address(base.messenger)), STANDARD, "");
        vm.prank(STRANGER);
        vm.expectRevert("Invalid message transmitter");
        arc.messenger.handleReceiveUnfinalizedMessage(BASE, padded(address(base.messenger)), FAST, "");
    }

    /// An attested message of anybody else's contract mints nothing.
    function test_noOtherSenderIsHeard() public {
        bytes memory message = complete(burnOn(base, arc, ALICE, 100e6, 0), finalized("nonce"));
        put(message, 44, abi.encode(STRANGER));
        refuses(message, "Remote TokenMessenger unsupported");
        vm.prank(ADMINISTRATOR);
        arc.messenger.removeRemoteTokenMessenger(BASE);
        put(message, 44, abi.encode(address(0)));
        refuses(message, "Remote TokenMessenger unsupported");
        put(message, 44, abi.encode(address(base.messenger)));
        refuses(message, "Remote TokenMessenger unsupported");
    }

    function test_anUnknownTokenIsNotMinted() public {
        bytes memory message = complete(burnOn(base, arc, ALICE, 100e6, 0), finalized("nonce"));
        put(message, 148 + 4, abi.encode(STRANGER));
        refuses(message, "Mint token not supported");
    }

    function test_onlyTheMessengerMintsAndBurns() public {
        bytes32 token = padded(address(base.token));
        vm.expectRevert("Caller not local TokenMessenger");
        arc.minter.mint(BASE, token, STRANGER, 1);
        vm.expectRevert("Caller not local TokenMessenger");
        arc.minter.mint(BASE, token, STRANGER, STRANGER, 1, 1);
        vm.expectRevert("Caller not local TokenMessenger");
        arc.minter.burn(address(arc.token), 1);
    }

    /// Burned money that cannot be minted now waits for the end of the pause, or of whatever else stands in its way.
    function test_aPauseTrapsNothing() public {
        bytes memory message = complete(burnOn(base, arc, ALICE, 100e6, 0), finalized("nonce"));
        vm.prank(ADMINISTRATOR);
        arc.minter.pause();
        refuses(message, "Pausable: paused");
        vm.prank(ADMINISTRATOR);
        base.minter.pause();
        refusesBurn(1e6, ARC, padded(CAROL), address(base.token), 0, "Pausable: paused");
        vm.prank(ADMINISTRATOR);
        arc.minter.unpause();
        vm.prank(ADMINISTRATOR);
        arc.token.blacklist(CAROL);
        refuses(message, "Blacklistable: account is blacklisted");
        vm.prank(ADMINISTRATOR);
        arc.token.unBlacklist(CAROL);
        vm.prank(ADMINISTRATOR);
        arc.token.configureMinter(address(arc.minter), 99e6);
        refuses(message, "FiatToken: mint amount exceeds minterAllowance");
        vm.prank(ADMINISTRATOR);
        arc.token.configureMinter(address(arc.minter), 100e6);
        deliver(arc, message);
        vm.assertEq(arc.token.balanceOf(CAROL), 100e6, "minted");
    }

    function test_whoIsDenylistedBurnsNothing() public {
        vm.expectRevert("Denylistable: caller is not denylister");
        base.messenger.denylist(ALICE);
        vm.prank(ADMINISTRATOR);
        base.messenger.denylist(ALICE);
        refusesBurn(1e6, ARC, padded(CAROL), address(base.token), 0, "Denylistable: account is on denylist");
        fundOn(base, BOB, 1e6);
        // Not through somebody else's contract either.
        vm.prank(BOB, ALICE);
        vm.expectRevert("Denylistable: account is on denylist");
        base.messenger.depositForBurn(1e6, ARC, padded(CAROL), address(base.token), 0, 0, STANDARD);
        vm.expectRevert("Denylistable: caller is not denylister");
        base.messenger.unDenylist(ALICE);
        vm.prank(ADMINISTRATOR);
        base.messenger.unDenylist(ALICE);
        burnOn(base, arc, ALICE, 1e6, 0);
    }

    function refuses(bytes memory message, string memory reason) private {
        bytes memory attestation = attest(message);
        vm.expectRevert(bytes(reason));
        arc.transmitter.receiveMessage(message, attestation);
    }

    function refusesBurn(
        uint256 amount,
        uint32 domain,
        bytes32 recipient,
        address burnToken,
        uint256 maxFee,
        string memory reason
    ) private {
        vm.prank(ALICE, ALICE);
        vm.expectRevert(bytes(reason));
        base.messenger.depositForBurn(amount, domain, recipient, burnToken, 0, maxFee, STANDARD);
    }
}
